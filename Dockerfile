# Builds the bundle, then copies it with its run-time packages only.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts scripts
COPY src src
RUN node scripts/build.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Lectern" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/dist dist
COPY LICENSE ./
# /vault: the notes. /state: index, journal, tokens, audit log. Everything else may be read-only.
RUN mkdir /vault /state && chown node:node /vault /state
ENV NODE_ENV=production \
    LECTERN_VAULT=/vault \
    LECTERN_STATE=/state \
    LECTERN_HOST=0.0.0.0 \
    LECTERN_PORT=7862
USER node
VOLUME ["/vault", "/state"]
EXPOSE 7862
HEALTHCHECK --interval=30s --timeout=6s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.LECTERN_PORT+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "dist/lectern.js"]
CMD ["serve", "--http"]
