'use client'

import './globals.css'

/** Replaces the whole document when the root layout fails, so it uses no settings and no fonts. */
export default function GlobalErrorPage() {
  return (
    <html lang="en">
      <body>
        <main className="page py-16">
          <h1>Something went wrong on our side</h1>
          <p className="mt-4">This was not your fault. Wait a moment, then load the page again.</p>
          <p className="mt-6">
            <button className="button" onClick={() => window.location.reload()}>
              Load it again
            </button>
          </p>
        </main>
      </body>
    </html>
  )
}
