const SECTIONS = ['/wallets', '/wallets/send', '/wallets/receive', '/invoices', '/requests', '/connections']
/** Pages whose path begins like another section's. */
const MOVED = new Map([['/wallets/quotes', '/wallets/send']])

/** The entry of the navigation that a page belongs to: the longest one that its path begins with. */
export function sectionOf(path: string): string | undefined {
  const isBelow = (section: string): boolean => path === section || path.startsWith(`${section}/`)
  for (const [from, section] of MOVED) if (isBelow(from)) return section
  return SECTIONS.filter(isBelow).toSorted((a, b) => b.length - a.length)[0]
}
