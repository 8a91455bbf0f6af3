# One Tossup server in an image of its own. From a checkout:
#   docker build --tag tossup .
#   docker run --publish 3000:3000 --volume tossup:/var/lib/tossup --read-only --env PUBLIC_URL=https://polls.example.com tossup

FROM node:22.20.0-bookworm-slim AS build
WORKDIR /src
COPY . .
# Bun and the packages that the server needs, as package-lock.json names them.
RUN npm ci --omit=dev
RUN npm run build:binary
# Becomes DATA_DIR: a new volume takes over its owner and its mode.
RUN install --directory --mode=0700 dist/data

FROM debian:12.12-slim
COPY --from=build /src/dist/tossup /usr/local/bin/tossup
COPY --from=build /src/LICENSE /src/dist/THIRD-PARTY-NOTICES.txt /usr/local/share/doc/tossup/
COPY --from=build --chown=10001:10001 /src/dist/data /var/lib/tossup
USER 10001:10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/var/lib/tossup BUN_JSC_forceRAMSize=1073741824 MIMALLOC_PURGE_HOLES=0 UV_THREADPOOL_SIZE=16
VOLUME /var/lib/tossup
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["tossup", "health"]
# A server ends within 20 s of this signal.
STOPSIGNAL SIGTERM
ENTRYPOINT ["tossup"]
CMD ["serve"]
