import { COMMANDS, type CommandName } from 'uma-auth-vasp'
import { application } from '@/lib/backend/application'
import { ownOpenApiDocument } from '@/lib/backend/openapi'
import { protocol } from '@/lib/backend/protocol'
import { singleton } from '@/lib/platform/process-singletons'
import { endpointsOf, type EndpointReference } from '@/lib/sandbox/api-reference/endpoints'
import { inputsOf } from '@/lib/sandbox/api-reference/typed-call'
import type { ErrorTexts } from '@/lib/web/form-errors'

/** The endpoints of this server, read once. */
export function reference(): readonly EndpointReference[] {
  return singleton('api reference', () => endpointsOf(ownOpenApiDocument(protocol(), application().settings)))
}

/** The page that sends a command. */
export function sendPage(command: string): string {
  return `/developers/api/${encodeURIComponent(command)}`
}

/** The endpoint of a command of this server; undefined for any other name, such as that of the token exchange. */
export function endpointOfCommand(
  name: string,
): { readonly command: CommandName; readonly endpoint: EndpointReference } | undefined {
  const command = COMMANDS.find((each) => each.name === name)?.name
  const endpoint = reference().find(({ id }) => id === command)
  return command === undefined || endpoint === undefined ? undefined : { command, endpoint }
}

const TEXTS = {
  missing: 'This field is required. Nothing was sent.',
  number: 'This is not an integer. Nothing was sent.',
  json: 'This is not JSON. Nothing was sent.',
  header: 'A header takes up to 200 printable ASCII characters without blanks. Nothing was sent.',
}

/** The errors of the form of an endpoint. */
export function sendErrors(endpoint: EndpointReference): ErrorTexts {
  return {
    ...Object.fromEntries(
      inputsOf(endpoint).flatMap(({ name }) =>
        Object.entries(TEXTS).map(([code, text]) => [`${name}.${code}`, text] as const),
      ),
    ),
    long: 'These values are too long for this page. Nothing was sent. The API reference has the call as a command line.',
    many: 'The token exchange of this server answered 429. Nothing was sent. You may have too many active connections: open Connections, revoke the unused ones, then try again.',
    exchange:
      'The token exchange of this server refused the request. Nothing was sent. The Wire shows the call and the reason.',
  }
}
