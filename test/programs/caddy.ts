import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDaemon, type Daemon } from './daemon'
import { findProgram } from './debian'

export interface Caddy extends Daemon {
  /** The certificate authority that Caddy made for its names, in PEM. Undefined without TLS. */
  readonly certificate: string | undefined
}

export interface CaddyOptions {
  /** As `SITE` of the Caddyfile: `:8000` for plain http, `localhost:8000` for TLS with a certificate of its own. */
  readonly site: string
  /** The ports of the instances, on loopback. */
  readonly upstreams: readonly number[]
  /** The sites of `deploy/gateway.caddy`, each with the port behind it. Without them, Caddy has the VASP's site only. */
  readonly gateway?: Readonly<Record<'GATEWAY' | 'RELAY', { readonly site: string; readonly upstream: number }>>
}

/** For tests: no port for administration or redirects, and no change of the system's certificates. */
const GLOBAL = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n'

/**
 * Debian's Caddy with `deploy/Caddyfile`, in front of instances. Resolves when it listens. An instance is in rotation from its
 * first poll on.
 * @throws Error with Caddy's log when it does not start.
 */
export async function startCaddy({ site, upstreams, gateway }: CaddyOptions): Promise<Caddy> {
  const program = findProgram('caddy')
  if (program === undefined) throw new Error('caddy is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'vasp-caddy-'))
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `${GLOBAL}${readFileSync('deploy/Caddyfile', 'utf8')}`)
  if (gateway !== undefined) copyFileSync('deploy/gateway.caddy', join(folder, 'gateway.caddy'))
  const port = Number(site.split(':').at(-1))
  const { stop } = await startDaemon(program, ['run', '--adapter', 'caddyfile', '--config', file], {
    folder,
    env: {
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      SITE: site,
      UPSTREAMS: upstreams.map((upstream) => `127.0.0.1:${upstream}`).join(' '),
      ...Object.fromEntries(
        Object.entries(gateway ?? {}).flatMap(([name, given]) => [
          [`${name}_SITE`, given.site],
          [`${name}_UPSTREAM`, `127.0.0.1:${given.upstream}`],
        ]),
      ),
    },
    isReady: () => accepts(port),
  })
  const isTls = !site.startsWith(':')
  const root = join(folder, 'caddy', 'pki', 'authorities', 'local', 'root.crt')
  // Caddy makes its authority before it listens.
  return { certificate: isTls ? readFileSync(root, 'utf8') : undefined, stop }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => done(true)).once('error', () => done(false))
  })
}
