/** The keys of a signed-in user's pages, which `public/keys.js` reads: what is pressed, where it leads, and its name. */
const KEYS = [
  ['/', '/search#q', 'Search'],
  ['g w', '/wallets', 'Wallets'],
  ['g a', '/activity', 'Activity'],
  ['g d', '/developers', 'Developers'],
  ['?', '/search#keys', 'This list of keys'],
] as const

/** @param developers whether this server has the pages for developers. */
export function keysOf(developers: boolean): readonly (readonly [keys: string, href: string, name: string])[] {
  return KEYS.filter(([, href]) => href !== '/developers' || developers)
}
