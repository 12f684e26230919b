import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The parts of an app that are the same on each of its pages. */
export interface Brand {
  readonly name: string
  /** What this is instead of the real thing: a bold word, and the rest of the sentence. */
  readonly strip: readonly [word: string, text: string]
  readonly footer: string
}

/** The parts of one page beside its title and content. */
export interface PageParts {
  /** Further elements of the head. */
  readonly head?: Html
  /** Below the strip: the app's name and its links. */
  readonly masthead?: Html
}

/** The frame of every page. The template escapes all values. */
export function pageOf(brand: Brand, title: string, content: Html, { head, masthead }: PageParts = {}): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${head ?? ''}
        <title>${title} · ${brand.name}</title>
        <link rel="icon" href="/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
        <script src="/busy-forms.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <div class="strip">
            <p><strong>${brand.strip[0]}</strong>, ${brand.strip[1]}</p>
          </div>
          ${masthead ?? ''}
        </header>
        <main id="main">${content}</main>
        <footer>${brand.footer} All data stays on this machine.</footer>
      </body>
    </html>`
}

/** The content of a page about a problem: what happened, and where to go next. */
export function problemContent(title: string, problem: Html | string, next: Html): Html {
  return html`<h1>${title}</h1>
    ${
      typeof problem === 'string'
        ? html`<p class="lead" role="alert">${problem}</p>`
        : html`<div role="alert">${problem}</div>`
    }
    <p class="row">${next}</p>`
}

/** Names and values, one pair below the other. */
export function facts(rows: readonly (readonly [name: Html | string, value: Html | string])[]): Html {
  return html`<dl>
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

/** A field of a form with its label above it, and the problem with its value below it. */
export interface Field {
  readonly name: string
  readonly label: string
  /** The default is the name. */
  readonly id?: string
  readonly value?: string
  readonly problem?: Html | string | undefined
  readonly isShort?: boolean
  /** Further attributes of the input. */
  readonly more?: Html | string
}

export function textField(field: Field): Html {
  const { name, value = '', more = '' } = field
  return inField(
    field,
    html`<input id="${idOf(field)}" type="text" name="${name}" value="${value}" ${more} ${invalid(field)} />`,
  )
}

export function areaField(field: Field & { readonly rows?: number }): Html {
  const { name, value = '', more = '', rows = 3 } = field
  return inField(
    field,
    html`<textarea id="${idOf(field)}" name="${name}" rows="${rows}" spellcheck="false" ${more} ${invalid(field)}>
${value}</textarea>`,
  )
}

export function choiceField(
  field: Field & { readonly choices: readonly (readonly [string, string, ...unknown[]])[] },
): Html {
  return inField(
    field,
    html`<select id="${idOf(field)}" name="${field.name}" ${invalid(field)}>
      ${field.choices.map(
        ([value, label]) => html`<option value="${value}" ${value === field.value ? 'selected' : ''}>${label}</option>`,
      )}
    </select>`,
  )
}

function inField(field: Field, input: Html): Html {
  return html`<p class="field ${field.isShort === true ? 'short' : ''}">
      <label for="${idOf(field)}">${field.label}</label>
      ${input}
    </p>
    ${
      field.problem === undefined
        ? ''
        : html`<div id="${idOf(field)}-problem" role="alert">${problemText(field.problem)}</div>`
    }`
}

function problemText(problem: Html | string): Html {
  return typeof problem === 'string' ? html`<p class="bad"><span aria-hidden="true">✕ </span>${problem}</p>` : problem
}

/** Marks a field whose value was refused, and links it to its problem. */
function invalid(field: Field): Html | string {
  return field.problem === undefined
    ? ''
    : html`aria-invalid="true" aria-describedby="${idOf(field)}-problem" autofocus`
}

function idOf({ id, name }: Field): string {
  return id ?? name
}
