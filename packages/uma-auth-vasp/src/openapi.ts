import * as z from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import type { Command, CommandName } from './commands.ts'
import type { Endpoint } from './endpoint.ts'
import {
  ErrorReply,
  EXAMPLE_DOMAIN,
  TokenExchangeBody,
  TokenExchangeErrorReply,
  TokenExchangeReply,
} from './schemas.ts'
import type { UmaAuthVasp } from './vasp.ts'

/** A response that the web server sends before the API reads the request. */
export interface ServerRefusal {
  readonly description: string
  /** False when the web server itself sends the status, without a body in the API's format. */
  readonly hasBody: boolean
}

export interface OpenApiOptions {
  /** Public origin of the VASP, such as `http://localhost:4000`; `https://` and its domain when absent. */
  readonly publicOrigin?: string | undefined
  /** Instead of the one server at `publicOrigin`. */
  readonly servers?: ZodOpenApiObject['servers'] | undefined
  readonly version?: string | undefined
  readonly description?: string | undefined
  /** More about your API, such as `title`, `license`, `contact` and `termsOfService`. Without it, the document names no licence. */
  readonly info?: Partial<ZodOpenApiObject['info']> | undefined
  /** Your own words for a command. `refusals` has a text by status, in place of the package's or in addition. */
  readonly texts?: Readonly<Partial<Record<CommandName, CommandTexts>>> | undefined
  /** By status. */
  readonly serverRefusals?: ((method: 'GET' | 'POST') => Readonly<Record<string, ServerRefusal>>) | undefined
}

export interface CommandTexts {
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly refusals?: Readonly<Record<string, string>> | undefined
}

/** The OpenAPI 3.1 document of the API, generated from the schemas that parse the requests. Only implemented commands appear. */
export function openApiDocument(
  { api }: Pick<UmaAuthVasp, 'api'>,
  options: OpenApiOptions = {},
): ReturnType<typeof createDocument> {
  const { publicOrigin = `https://${api.domain}`, version = '1.0.0', info = {}, texts = {} } = options
  const { servers = [{ url: `${publicOrigin}${api.basePath}` }] } = options
  const { description = 'The API that a UMA Auth gateway calls at this VASP.', serverRefusals = () => ({}) } = options
  const before = (
    method: 'GET' | 'POST',
    describe: (text: string) => ZodOpenApiResponseObject,
  ): ZodOpenApiResponsesObject =>
    Object.fromEntries(
      Object.entries<ServerRefusal>(serverRefusals(method)).map(([status, { description: why, hasBody }]) => [
        status,
        hasBody ? describe(why) : { description: why },
      ]),
    )

  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  // The types of the main entry point name no schema library: these are the endpoints of `createEndpoints`.
  for (const endpoint of api.endpoints as readonly Endpoint[]) {
    const { command } = endpoint
    const own = texts[command.name] ?? {}
    const responses = { ...responsesOf(endpoint, own), ...before(command.method, error) }
    const described = operation(endpoint, responses, own)
    paths[command.path] = { ...paths[command.path], [command.method.toLowerCase()]: described }
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: { title: `${api.name}: UMA Auth gateway API`, version, description, ...info },
    servers,
    security: [{ bearer: [] }],
    tags: [
      { name: 'commands', description: 'One call for each wallet command' },
      { name: 'authorization', description: 'The token exchange' },
    ],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'ES256, issued by this VASP' },
      },
    },
    paths: { ...paths, '/token': { post: tokenExchange(before('POST', failure)) } },
  }
  return createDocument(document, {
    override: ({ jsonSchema }) => {
      const { example } = jsonSchema
      if (typeof example === 'string') jsonSchema.example = example.replace(EXAMPLE_DOMAIN, api.domain)
    },
  })
}

function operation(
  { command, params, query, headers, body }: Endpoint,
  responses: ZodOpenApiResponsesObject,
  { summary = command.summary, description }: CommandTexts,
): ZodOpenApiOperationObject {
  return {
    operationId: command.name,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: ['commands'],
    requestParams: {
      ...(params === undefined ? pathParameters(command) : { path: params as z.ZodObject }),
      ...(query === undefined ? {} : { query: query as z.ZodObject }),
      ...(headers === undefined ? {} : { header: headers }),
    },
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses,
  }
}

const PATH_PARAMETER = /\{(\w+)\}/g

function pathParameters(command: Command): { path?: z.ZodObject } {
  const names = [...command.path.matchAll(PATH_PARAMETER)].map((match) => match[1] ?? '')
  return names.length === 0 ? {} : { path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }
}

function responsesOf({ params, reply, refusals }: Endpoint, own: CommandTexts): ZodOpenApiResponsesObject {
  return {
    '200': { description: 'The answer', content: { 'application/json': { schema: reply } } },
    '400': error('The request is not valid'),
    '401': error('The token is missing, wrong, expired or revoked'),
    '403': error('The connection was not granted this command, or the caller is outside the allowed networks'),
    '429': error('Too many requests; Retry-After says when to retry'),
    '500': error('The VASP failed, or the verification key is not configured'),
    '503': error('The VASP is not available; Retry-After says when to retry'),
    ...(params === undefined ? {} : { '404': error('The user has no object with this name') }),
    ...Object.fromEntries(
      Object.entries<string>({ ...refusals, ...own.refusals }).map(([status, why]) => [status, error(why)]),
    ),
  }
}

function tokenExchange(before: ZodOpenApiResponsesObject): ZodOpenApiOperationObject {
  return {
    operationId: 'exchange_token',
    summary: 'Exchange the login token for the long-lived token of a new connection',
    tags: ['authorization'],
    requestBody: { required: true, content: { 'application/json': { schema: TokenExchangeBody } } },
    responses: {
      '200': { description: 'The long-lived token', content: { 'application/json': { schema: TokenExchangeReply } } },
      '400': failure('Permissions or expiration are missing or not valid'),
      '401': failure('The login token is missing, wrong, expired, or its login was ended'),
      '403': failure('The caller is outside the allowed networks'),
      '404': failure('The user of the token does not exist'),
      ...before,
      '429': failure(
        'This sign-in has created all the connections it allows, and Retry-After says when its token has expired; or this user has the maximum number of active connections',
      ),
      '500': failure('A key is not configured'),
      '503': failure('The VASP is not available'),
    },
  }
}

function failure(description: string): ZodOpenApiResponseObject {
  return { description, content: { 'application/json': { schema: TokenExchangeErrorReply } } }
}

function error(description: string): ZodOpenApiResponseObject {
  return { description, content: { 'application/json': { schema: ErrorReply } } }
}
