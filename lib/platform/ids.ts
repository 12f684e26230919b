import { randomBytes, randomUUID } from 'node:crypto'

export interface Ids {
  /** A public identifier, for example of a token or a connection. */
  uuid(): string
  /** An unguessable value of 256 bits, URL-safe. */
  secret(): string
}

export const randomIds: Ids = {
  uuid: randomUUID,
  secret: () => randomBytes(32).toString('base64url'),
}
