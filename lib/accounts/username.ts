/** Whether a text has the form of a user's name, which the table `users` demands. */
export function isUsername(text: string): boolean {
  return /^[a-z0-9_.+-]{1,63}$/.test(text)
}
