/** The UMA address of a user of this VASP: `$alice@localhost:3000`. */
export function addressOf(username: string, vaspDomain: string): string {
  return `$${username}@${vaspDomain}`
}

/** Whether a text has the form of a user's name, which the table `users` demands. */
export function isUsername(text: string): boolean {
  return /^[a-z0-9_.+-]{1,63}$/.test(text)
}
