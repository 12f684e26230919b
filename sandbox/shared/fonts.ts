import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const FILES: Readonly<Record<string, string>> = {
  'serif.woff2': '@fontsource-variable/source-serif-4/files/source-serif-4-latin-opsz-normal.woff2',
  'sans.woff2': '@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2',
  // Currency signs, including ₿, which the Latin file lacks.
  'mono-signs.woff2': '@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-ext-400-normal.woff2',
  'mono.woff2': '@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2',
}

/** A font changes only with its package, so a browser keeps it for a day. */
export const FONT_HEADERS = { 'Content-Type': 'font/woff2', 'Cache-Control': 'public, max-age=86400' }

const resolve = createRequire(import.meta.url).resolve
const read = new Map<string, Uint8Array<ArrayBuffer>>()

/** A font file by its short name; undefined for an unknown name, for which pages use the system's fonts. */
export function fontFile(name: string): Uint8Array<ArrayBuffer> | undefined {
  const path = Object.hasOwn(FILES, name) ? FILES[name] : undefined
  if (path === undefined) return undefined
  const known = read.get(name)
  if (known !== undefined) return known
  try {
    const bytes = new Uint8Array(readFileSync(resolve(path)))
    read.set(name, bytes)
    return bytes
  } catch {
    return undefined
  }
}
