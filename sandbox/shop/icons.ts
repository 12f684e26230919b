import { html, raw } from 'hono/html'
import type { Html } from './page'

/** Parallel strokes for shading. */
function hatch(x: number, top: number, bottom: number, count: number, gap = 2.5): string {
  return Array.from({ length: count }, (_, n) => `M${x + n * gap} ${top}V${bottom}`).join('')
}

/** Line drawings of the products, like those of an old catalogue. They are constants, so they need no escaping. */
const ICONS: Readonly<Record<string, string>> = {
  thread: `<path d="M26 22h44v7H26zM26 67h44v7H26zM32 29v38M64 29v38"/><path d="${Array.from({ length: 12 }, (_, n) => `M32 ${34 + n * 3}l32 -3`).join('')}"/><path d="M64 62c14 2 16 10 26 4"/>`,
  notebook: `<path d="M24 20l42 -5 8 58 -42 6z"/><path d="M24 20l-4 3 8 58 4 -2M66 15l4 1 8 58 -46 7"/><path d="M35 32l24 -3 1.5 11 -24 3z"/><path d="${hatch(28, 46, 46, 0)}M37 50l30 -4M38 56l30 -4M39 62l30 -4"/>`,
  ink: `<path d="M40 14h20v12H40zM42 26v8c0 4 -14 6 -14 14v30h44V48c0 -8 -14 -10 -14 -14v-8"/><path d="M34 52h32v16H34z"/><path d="${hatch(31, 70, 77, 15)}"/><path d="${hatch(43, 15, 25, 6, 3)}"/>`,
  press: `<path d="M18 78h64v6H18zM24 78V30M30 78V30M70 78V30M76 78V30M18 24h64v7H18zM34 62h32v8H34z"/><path d="M46 31v31M54 31v31M46 36l8 4M46 42l8 4M46 48l8 4M46 54l8 4"/><path d="M30 14h40M50 14v10M30 11v6M70 11v6"/><path d="${hatch(36, 63, 69, 12)}"/>`,
}

export function iconOf(productId: string): Html {
  return html`<svg class="icon" viewBox="10 5 80 85" aria-hidden="true" focusable="false">
    ${raw(ICONS[productId] ?? '')}
  </svg>`
}

/** The shop's icon: a nib. Served as a file, for the tab and for the gateway's approval page. */
export const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="#fbfaf6"/><path d="M32 6c9 12 14 22 14 30L36 58h-8L18 36C18 28 23 18 32 6z" fill="none" stroke="#1f3f6e" stroke-width="3"/><path d="M32 14v22M32 58V44" stroke="#1f3f6e" stroke-width="2.5"/><circle cx="32" cy="39" r="4" fill="#1f3f6e"/></svg>`
