/** The UMA address of a user of this VASP: `$alice@localhost:3000`. */
export function addressOf(username: string, vaspDomain: string): string {
  return `$${username}@${vaspDomain}`
}
