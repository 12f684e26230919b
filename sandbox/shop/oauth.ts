import * as oauth from 'oauth4webapi'
import { withParameters } from 'uma-auth-vasp'
import type { Recorder } from './call-log'
import { clientId, type Identity } from './identity'
import { explainOAuthError, notOurs } from './oauth-problem'
import type { PermissionRequest } from './permission-request'
import { ShopError } from './problem'
import { recordingFetch } from './recording-fetch'
import { callbackUrl, type ShopSettings } from './settings'
import type { AuthServer, Connection, Grant, PendingAuthorization, Role } from './store'
import { toConnection } from './token-response'
import type { UmaAddress } from './uma-address'

const TIMEOUT_MS = 15_000

/** The shop's OAuth client: requests, code exchange, refresh and revocation. Each step throws ShopError. */
export class OAuthClient {
  private readonly client: oauth.Client
  private readonly redirectUri: string

  constructor(settings: ShopSettings, identity: Pick<Identity, 'npub'>) {
    this.client = { client_id: clientId(identity, settings.RELAY) }
    this.redirectUri = callbackUrl(settings)
  }

  /** The address to send the browser to, and the values to remember until it returns. */
  async ask(
    role: Role,
    address: UmaAddress,
    server: AuthServer,
    permissions: PermissionRequest,
  ): Promise<PendingAuthorization> {
    const state = oauth.generateRandomState()
    const verifier = oauth.generateRandomCodeVerifier()
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: this.client.client_id,
      redirect_uri: this.redirectUri,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      required_commands: permissions.required,
      optional_commands: permissions.optional === '' ? undefined : permissions.optional,
      budget: permissions.budget,
      expires_at: permissions.expiresAtSeconds?.toString(),
      uma_username: address.text.split('@', 1)[0],
    }
    const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined)
    const url = withParameters(server.authorization_endpoint, Object.fromEntries(given))
    return { role, address: address.text, server, state, verifier, url }
  }

  /** Checks the answer with which the browser returns, and exchanges its code for a connection. */
  async finish(pending: PendingAuthorization, current: URL, record: Recorder): Promise<Connection> {
    const { server } = pending
    // Checked before the library checks it, because the library's message is for developers only.
    if (current.searchParams.get('state') !== pending.state) throw new ShopError(notOurs())
    const step = record('The browser returned from the gateway', 'browser', `GET ${current.pathname}${current.search}`)
    const parameters = await this.explainErrors(server.token_endpoint, () =>
      Promise.resolve(oauth.validateAuthResponse(server, this.client, current, pending.state)),
    ).catch((error: ShopError) => {
      step.failed(null, error.problem)
      throw error
    })
    step.done('The state matches, so the answer is for this browser.')
    return this.explainErrors(server.token_endpoint, async () => {
      const options = this.options(
        server,
        record,
        'Exchange the code for a connection (the PKCE verifier proves that the shop sent the request)',
      )
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        this.client,
        oauth.None(),
        parameters,
        this.redirectUri,
        pending.verifier,
        options,
      )
      const token = await oauth.processAuthorizationCodeResponse(server, this.client, response)
      return toConnection(token, server, pending.address)
    })
  }

  /** Renews the access of a connection. The previous secret stops working at once. */
  refresh(connection: Connection, grant: Grant, record: Recorder): Promise<Connection> {
    const { server, refreshToken } = grant
    return this.explainErrors(server.token_endpoint, async () => {
      const options = this.options(server, record, 'Renew access')
      const response = await oauth.refreshTokenGrantRequest(
        server,
        this.client,
        oauth.None(),
        refreshToken ?? '',
        options,
      )
      const token = await oauth.processRefreshTokenResponse(server, this.client, response)
      return { ...toConnection(token, server, connection.address), id: connection.id }
    })
  }

  async revoke(grant: Grant, record: Recorder): Promise<void> {
    const { server } = grant
    if (server.revocation_endpoint === undefined) return
    await this.explainErrors(server.revocation_endpoint, async () => {
      const options = this.options(server, record, 'Disconnect at the gateway')
      const token = grant.refreshToken ?? grant.accessToken
      const response = await oauth.revocationRequest(server, this.client, oauth.None(), token, options)
      await oauth.processRevocationResponse(response)
    })
  }

  private async explainErrors<T>(endpoint: string, step: () => Promise<T>): Promise<T> {
    try {
      return await step()
    } catch (error) {
      throw new ShopError(explainOAuthError(error, endpoint))
    }
  }

  private options(server: AuthServer, record: Recorder, words: string): oauth.TokenEndpointRequestOptions {
    return {
      [oauth.customFetch]: recordingFetch(record, words),
      // readDiscovery has checked that an http endpoint is on this machine.
      [oauth.allowInsecureRequests]: [server.token_endpoint, server.revocation_endpoint].some((endpoint) =>
        endpoint?.startsWith('http:'),
      ),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
  }
}
