# naysay on a CPU, with all that testing a model needs; how to use it is in docs/container.md.
ARG PYTHON=3.11

FROM python:${PYTHON}-slim AS build
# An index that has torch for CPUs only makes the image some gigabytes smaller.
ARG TORCH_INDEX=""
RUN python -m venv /opt/naysay
ENV PATH=/opt/naysay/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
# What changes seldom comes first: a change of naysay does not download torch again.
COPY constraints.txt ./
RUN pip install --no-cache-dir --constraint constraints.txt \
      ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir --constraint constraints.txt '.[hf,llama,build,report]'

FROM python:${PYTHON}-slim
COPY --from=build /opt/naysay /opt/naysay
# Both folders are open to all, so that --user can name whoever owns a mounted folder.
RUN useradd --create-home --uid 1000 naysay && mkdir --mode=1777 /work /cache
ENV PATH=/opt/naysay/bin:$PATH NAYSAY_CACHE=/cache/naysay HF_HOME=/cache/huggingface
USER 1000
WORKDIR /work
VOLUME ["/work", "/cache"]
ENTRYPOINT ["naysay"]
CMD ["--help"]
