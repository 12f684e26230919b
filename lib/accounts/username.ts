/** Whether a text has the format of a user name that the table `users` requires. */
export function isUsername(text: string): boolean {
  return /^[a-z0-9_.+-]{1,63}$/.test(text)
}
