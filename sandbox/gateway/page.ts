import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The layout of every page. The template escapes all values. `head`: further elements of the head. */
export function page(title: string, content: Html, head: Html = html``): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${head}
        <title>${title} · Gateway simulator</title>
        <link rel="icon" href="/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
        <script src="/busy-forms.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="strip">
          <p><strong>GATEWAY SIMULATOR</strong>, in place of a public UMA Auth gateway. No real money.</p>
        </header>
        <main id="main">${content}</main>
        <footer>Gateway simulator. All data stays on this machine.</footer>
      </body>
    </html>`
}

export function problemPage(
  title: string,
  message: string,
  action: Html = html`<a class="button" href="/">Home</a>`,
): Html {
  return page(
    title,
    html`<h1>${title}</h1>
      <p class="lead" role="alert">${message}</p>
      <p>${action}</p>`,
  )
}

/** Marks an invalid field and links it to its message. */
export function invalidField(id: string): Html {
  return html`aria-invalid="true" aria-describedby="${id}-problem" autofocus`
}

export function fieldProblem(id: string, message: string): Html {
  return html`<p class="bad" id="${id}-problem" role="alert"><span aria-hidden="true">✕ </span>${message}</p>`
}
