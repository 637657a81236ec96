"""The optional parts of naysay: what each installs, and a check before any work begins."""

from __future__ import annotations

from importlib.util import find_spec

from naysay.core.errors import MissingExtraError

EXTRAS = {
    "hf": ("torch", "transformers", "sentence_transformers", "gguf"),
    "llama": ("xllamacpp", "jinja2"),
    "build": ("HanTa", "lemminflect"),
    "report": ("jinja2", "vl_convert"),
    "view": ("duckdb", "starlette", "uvicorn", "jinja2", "vl_convert"),
    "wandb": ("wandb",),
    "mlflow": ("mlflow",),
    "cluster": ("ray",),
    "bench": ("minicons", "lm_eval"),
}
"""A few modules of each extra, by which one sees whether it is installed."""


def missing_modules(extra: str) -> list[str]:
    """Return the modules of an extra that are not installed; none is imported."""
    return [module for module in EXTRAS[extra] if not _is_installed(module)]


def need(extra: str, purpose: str) -> None:
    """Raise an error that says how to install an extra, if it is not installed."""
    if missing := missing_modules(extra):
        raise MissingExtraError(
            f"{purpose} needs {' and '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} not installed: pip install 'naysay[{extra}]'"
        )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # something else has the name, or blocks it
        return False
