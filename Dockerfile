# The server as one executable, on a base image that has the C library and certificates, and no shell.
# docs/operating/containers.md says how to build and run it. Base images can be replaced, such as by those of a mirror.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot
ARG POSTGRES_IMAGE=docker.io/library/postgres:18-bookworm

# It runs on the machine that builds, whatever platform the image is for: the executable is made for any of them.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
ARG TARGETARCH
# Another name from scripts/build-executable.mjs, such as linux-x64-baseline for processors without AVX2.
ARG EXECUTABLE=
WORKDIR /src
COPY . .
# An empty volume takes the owner and the mode of the folder that it is mounted on. They are copied with the folder above.
RUN set -eu; \
    case "${EXECUTABLE:-$TARGETARCH}" in \
      amd64) name=linux-x64 ;; \
      arm64) name=linux-arm64 ;; \
      *) name="$EXECUTABLE" ;; \
    esac; \
    npm run --silent build:executable -- "$name"; \
    install -d /out/server /out/tools; \
    install -d -m 0700 /out/server/data /out/tools/backups; \
    mv "dist/countersign-$name" /out/countersign

# Backups of PostgreSQL need pg_dump, at least as new as the server. It is in an image of its own, because it is larger
# than everything else, and no server runs it: docker build --target tools
FROM ${POSTGRES_IMAGE} AS tools
COPY --from=build /out/countersign /usr/local/bin/countersign
COPY --from=build --chown=65532:65532 /out/tools/ /
USER 65532:65532
WORKDIR /backups
VOLUME /backups
ENTRYPOINT ["/usr/local/bin/countersign"]
CMD ["backup", "--help"]

FROM ${BASE_IMAGE} AS server
ARG VERSION=0.1.0
ARG REVISION=
ARG CREATED=
LABEL org.opencontainers.image.title="Countersign" \
      org.opencontainers.image.description="A license key service you run yourself." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY LICENSE /LICENSE
COPY --from=build /out/countersign /usr/local/bin/countersign
COPY --from=build --chown=65532:65532 /out/server/ /
# `container` says that the IP address of this machine is not what people open.
ENV HOST=0.0.0.0 \
    PORT=3000 \
    COUNTERSIGN_DATA=/data \
    container=oci
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=60s --retries=3 \
    CMD ["/usr/local/bin/countersign", "health"]
ENTRYPOINT ["/usr/local/bin/countersign"]
CMD ["serve"]
