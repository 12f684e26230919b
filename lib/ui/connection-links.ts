/** The id of the element that asks for confirmation. A link with this fragment scrolls to it and moves the focus there. */
export const CONFIRMATION = 'confirmation'

/** The changes to a connection that the user confirms first. */
export type ConnectionAction = 'rename' | 'revoke'

type RequestedConfirmation =
  | { readonly action: ConnectionAction; readonly id: string }
  | { readonly action: 'revoke-today'; readonly id?: undefined }

/** The id of a connection's entry on the page. */
export function connectionAnchor(id: string): string {
  return `connection-${id}`
}

/** The address of one connection's page. */
export function connectionAddress(id: string): string {
  return `/connections/${encodeURIComponent(id)}`
}

/** The address of the page with the confirmation open. For renaming, the focus moves to the field for the new name. */
export function confirmationLink(action: ConnectionAction, id: string): string {
  return `/connections?${action}=${encodeURIComponent(id)}#${action === 'rename' ? 'name' : CONFIRMATION}`
}

export function revokeTodayLink(): string {
  return `/connections?revoke-today#${CONFIRMATION}`
}

/** The confirmation that the URL requests, if any. Of several, `revoke-today` comes first, then `revoke`, then `rename`. */
export function requestedConfirmation(
  params: Readonly<Record<string, string | string[] | undefined>>,
): RequestedConfirmation | undefined {
  if (params['revoke-today'] !== undefined) return { action: 'revoke-today' }
  for (const action of ['revoke', 'rename'] as const) {
    const id = params[action]
    if (typeof id === 'string') return { action, id }
  }
  return undefined
}
