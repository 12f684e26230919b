import { z } from 'zod'
import { port, readEnvironment, relay, webUrl } from '../shared/environment'

const Environment = z.object({
  APP_PORT: port.default(3200),
  APP_ROOT_URL: webUrl.transform((url) => new URL(url).origin).default('http://localhost:3200'),
  RELAY: relay,
  APP_DATA_DIR: z.string().min(1).default('.data/app'),
  /** The VASP that the shop runs in front of. The example addresses in the forms have its domain. */
  APP_EXAMPLE_DOMAIN: z.string().min(1).default('localhost:3000'),
  /** Where the pages of that VASP are, if it is the sandbox's: links lead to its statements and its desk. Another VASP has other pages. */
  APP_VASP_URL: webUrl.optional(),
  /** Another wallet operator whose users and node can be paid from here: its name, its pages, its node's public key. */
  APP_OTHER_VASP_NAME: z.string().min(1).max(40).optional(),
  APP_OTHER_VASP_URL: webUrl.optional(),
  APP_OTHER_NODE_KEY: z
    .string()
    .regex(/^0[23][0-9a-f]{64}$/)
    .optional(),
  /** How long the page waits for a wallet's answer. */
  APP_REPLY_TIMEOUT_MS: z.coerce.number().int().min(100).max(120_000).default(20_000),
})

export type ShopSettings = z.output<typeof Environment>

/** @throws Error with one line that names the variable. */
export function loadShopSettings(env: Readonly<Record<string, string | undefined>>): ShopSettings {
  return readEnvironment(Environment, env, 'sandbox/shop/README.md')
}

/** The initial values of the forms, and the targets of the links. */
export interface Places {
  /** The addresses of the VASPs whose pages are known. */
  readonly withPages: readonly string[]
  /** The domain of the addresses. */
  readonly domain: string
  readonly other: { readonly name: string; readonly url: string; readonly nodeKey: string } | undefined
}

export function placesOf(settings: ShopSettings): Places {
  const { APP_EXAMPLE_DOMAIN: domain, APP_VASP_URL: own, APP_OTHER_VASP_NAME: name, APP_OTHER_VASP_URL: url } = settings
  const nodeKey = settings.APP_OTHER_NODE_KEY
  return {
    domain,
    withPages: [own, url].filter((each) => each !== undefined),
    other: name === undefined || url === undefined || nodeKey === undefined ? undefined : { name, url, nodeKey },
  }
}

/** The sandbox desk of the shop's own VASP, where a presenter pairs the shop. */
export function deskUrl({ APP_VASP_URL }: Pick<ShopSettings, 'APP_VASP_URL'>): string | undefined {
  return APP_VASP_URL === undefined ? undefined : new URL('/sandbox#shop', APP_VASP_URL).href
}

/** The redirect URI; the only one that the shop registers. */
export function callbackUrl(settings: Pick<ShopSettings, 'APP_ROOT_URL'>): string {
  return `${settings.APP_ROOT_URL}/callback`
}
