import { readFileSync } from 'node:fs'

/** The fonts of the VASP's pages, with a serif that adapts to its size. */
const FILES: Readonly<Record<string, string>> = {
  'serif.woff2': 'source-serif-4-latin-opsz-normal.woff2',
  'sans.woff2': 'public-sans-latin-wght-normal.woff2',
  // Currency signs, including ₿, which the Latin file lacks.
  'mono-signs.woff2': 'ibm-plex-mono-latin-ext-400-normal.woff2',
  'mono.woff2': 'ibm-plex-mono-latin-400-normal.woff2',
}

/** A font changes only with a release, so a browser keeps it for a day. */
export const FONT_HEADERS = { 'Content-Type': 'font/woff2', 'Cache-Control': 'public, max-age=86400' }

const read = new Map<string, Uint8Array<ArrayBuffer>>()

/** A font file by its short name; undefined for an unknown name, for which pages use the system's fonts. */
export function fontFile(name: string): Uint8Array<ArrayBuffer> | undefined {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined
  if (file === undefined) return undefined
  const bytes = read.get(name) ?? new Uint8Array(readFileSync(`app/fonts/${file}`))
  read.set(name, bytes)
  return bytes
}
