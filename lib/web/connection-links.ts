/** The id of the element that asks for confirmation. A link with this fragment scrolls to it and moves the focus there. */
export const CONFIRMATION = 'confirmation'

/** The changes to a connection that the user confirms first. */
export type ConnectionAction = 'rename' | 'revoke'

/** The id of a connection's entry on the page. */
export function connectionAnchor(id: string): string {
  return `connection-${id}`
}

/** The address of one connection's page. */
export function connectionAddress(id: string): string {
  return `/connections/${encodeURIComponent(id)}`
}

/** The page of the connection with the confirmation open. For renaming, the focus moves to the field for the new name. */
export function confirmationLink(action: ConnectionAction, id: string): string {
  return `${connectionAddress(id)}?${action}#${action === 'rename' ? 'name' : CONFIRMATION}`
}

export function revokeTodayLink(): string {
  return `/connections?revoke-today#${CONFIRMATION}`
}

/** For how many hours an unused connection has made no call. */
export const UNUSED_HOURS = ['1', '24', '168', '720'] as const
export type UnusedHours = (typeof UNUSED_HOURS)[number]
export const UNUSED_PERIODS = {
  '1': '1 hour',
  '24': '24 hours',
  '168': '7 days',
  '720': '30 days',
} as const satisfies Record<UnusedHours, string>

export function revokeUnusedLink(hours: UnusedHours): string {
  return `/connections?revoke-unused=${hours}#${CONFIRMATION}`
}
