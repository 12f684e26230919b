import { addressOf } from 'uma-auth-vasp'
import type { Application } from '../../backend/application'
import { listConnections, PAYING_COMMANDS, type ConnectionCard } from '../../connections/queries'
import type { Settings } from '../../platform/config'

/** The test user who pays in the show: the shop's suggested budget is in this user's currency. */
export const PAYER = 'alice'
const MOST_CONNECTIONS = 100

/** The shop's address without a slash at its end; undefined when this server knows no shop. */
export function shopUrl({ sampleAppUrl }: Pick<Settings, 'sampleAppUrl'>): string | undefined {
  return sampleAppUrl?.replace(/\/$/, '')
}

/** The shop's form with the payer's address, which leads on to the catalogue. */
export function shopStart(shop: string, { vaspDomain }: Pick<Settings, 'vaspDomain'>): string {
  return `${shop}/wallet?${new URLSearchParams({ address: addressOf(PAYER, vaspDomain), back: 'catalogue' })}`
}

/** The user's active connections with which the shop can spend. */
export async function spendingConnections(app: Application, username: string): Promise<readonly ConnectionCard[]> {
  const shop = shopUrl(app.settings)
  if (shop === undefined) return []
  const { connections } = await listConnections(app, username, { tab: 'active', size: MOST_CONNECTIONS })
  return connections.filter(
    ({ appHost, permissions }) =>
      appHost === new URL(shop).host && permissions.some((command) => PAYING_COMMANDS.includes(command)),
  )
}
