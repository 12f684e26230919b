# Targets: `vasp` (the default) is one instance of the server. `simulator` has what runs around it: gateway simulator,
# relay and shop. docs/host.md says how to run both.
ARG NODE=24-trixie-slim

FROM node:${NODE} AS build
WORKDIR /srv/vasp
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json .npmrc ./
COPY packages/uma-auth-conformance/package.json packages/uma-auth-conformance/package.json
COPY packages/uma-auth-vasp/package.json packages/uma-auth-vasp/package.json
RUN npm ci
COPY . .
# The image has no .git: docs/host.md passes the commit.
ARG BUILD_COMMIT
RUN npm run build && rm -rf .next/cache .cache/databases && find lib packages sandbox scripts -name '*.test.ts' -delete

FROM build AS simulator
ENV NODE_ENV=production SIMULATOR_HOST=0.0.0.0
RUN node --input-type=module --eval "import { compile } from './scripts/compiled.mjs'; compile(['gateway', 'relay', 'shop'].map((part) => 'sandbox/' + part + '/main.ts'))" \
  && mkdir /data && chown node:node /data
USER node
EXPOSE 3200 7447 8080

FROM node:${NODE} AS vasp
WORKDIR /srv/vasp
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 MALLOC_ARENA_MAX=2
COPY package.json package-lock.json .npmrc ./
COPY packages/uma-auth-conformance/package.json packages/uma-auth-conformance/package.json
COPY packages/uma-auth-vasp/package.json packages/uma-auth-vasp/package.json
# Optional packages are binaries for building, except esbuild's, which compiles the commands of an operator.
RUN npm ci --omit=dev --omit=optional --omit=peer && npm cache clean --force && mkdir .cache && chown node:node .cache
COPY --from=build /srv/vasp/node_modules/@esbuild node_modules/@esbuild
COPY LICENSE next.config.js server.js tsconfig.json ./
COPY prisma prisma
COPY public public
COPY --from=build /srv/vasp/packages/uma-auth-vasp packages/uma-auth-vasp
COPY --from=build /srv/vasp/sandbox sandbox
COPY --from=build /srv/vasp/scripts scripts
COPY --from=build /srv/vasp/lib lib
COPY --from=build /srv/vasp/.next .next
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/-/alive`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=512", "server.js"]
