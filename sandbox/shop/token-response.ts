import { randomUUID } from 'node:crypto'
import type { TokenEndpointResponse } from 'oauth4webapi'
import { z } from 'zod'
import { parsePairingUri } from './pairing-uri'
import { reasonOf, ShopError, type Problem } from './problem'
import type { AuthServer, Connection } from './store'

const Extras = z.object({
  nwc_connection_uri: z.string(),
  budget: z.string().nullish(),
  commands: z.array(z.string()).nullish(),
  nwc_expires_at: z.int().nullish(),
  uma_address: z.string().nullish(),
})

/** The connection in a token response, beyond the fields of OAuth. @throws ShopError when it cannot be read. */
export function toConnection(token: TokenEndpointResponse, server: AuthServer, asked: string | null): Connection {
  const extras = Extras.safeParse(token)
  if (!extras.success) throw new ShopError(incomplete(`${String(extras.error.issues[0]?.path[0])} is missing`))
  const { nwc_connection_uri, budget, commands, nwc_expires_at, uma_address } = extras.data
  const nowSeconds = Math.floor(Date.now() / 1000)
  try {
    const { address, ...pairing } = parsePairingUri(nwc_connection_uri)
    return {
      id: randomUUID(),
      address: uma_address ?? address ?? asked,
      ...pairing,
      grant: {
        server,
        accessToken: token.access_token,
        refreshToken: token.refresh_token ?? null,
        accessStartsAtSeconds: nowSeconds,
        accessEndsAtSeconds: token.expires_in === undefined ? null : nowSeconds + token.expires_in,
        endsAtSeconds: nwc_expires_at ?? null,
        budget: budget ?? null,
        commands: commands ?? [],
      },
    }
  } catch (error) {
    throw new ShopError(incomplete(reasonOf(error)))
  }
}

const incomplete = (what: string): Problem => ({
  code: 'TOKEN_INCOMPLETE',
  message: `The token response cannot be used: ${what}.`,
  meaning: 'The gateway granted access, but its answer contains no valid connection.',
  side: 'gateway',
  todo: 'Connect again. If this happens again, contact the operator of the gateway.',
})
