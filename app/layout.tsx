import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import { connection } from 'next/server'
import type { ReactNode } from 'react'
import { LinkNavigation } from '@/components/link-navigation'
import { ThemeSwitch } from '@/components/theme-switch'
import { chosenTheme } from '@/components/user-header'
import { application } from '@/lib/backend/application'
import { buildText } from '@/lib/web/build-text'
import './globals.css'

const publicSans = localFont({
  src: './fonts/public-sans-latin-wght-normal.woff2',
  variable: '--font-public-sans',
  weight: '100 900',
})
const sourceSerif = localFont({
  src: './fonts/source-serif-4-latin-wght-normal.woff2',
  variable: '--font-source-serif',
  weight: '200 900',
})
const plexMono = localFont({
  src: './fonts/ibm-plex-mono-latin-400-normal.woff2',
  variable: '--font-plex-mono',
  weight: '400',
})

export const viewport: Viewport = { width: 'device-width', initialScale: 1 }

export async function generateMetadata(): Promise<Metadata> {
  await connection()
  const { vaspName } = application().settings
  return {
    title: { default: `${vaspName} Sandbox`, template: `%s · ${vaspName} Sandbox` },
    description: 'A sandbox VASP for UMA Auth. No real money.',
    icons: { icon: '/icon.svg' },
  }
}

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  // Every page is rendered at request time: its content security policy has a nonce, and its settings are those of the process.
  await connection()
  const { settings } = application()
  const theme = await chosenTheme()
  return (
    <html
      lang="en"
      data-theme={theme.chosen === 'system' ? undefined : theme.chosen}
      data-accent={settings.accent}
      className={`${publicSans.variable} ${sourceSerif.variable} ${plexMono.variable}`}
    >
      <body className="flex min-h-dvh flex-col">
        <a href="#main" className="skip">
          Skip to content
        </a>
        {settings.sandboxTools ? (
          <section aria-label="Sandbox" className="hatch border-b border-ochre py-1.5 text-sm text-ochre">
            <p className="page flex flex-wrap justify-between gap-x-6">
              <span>
                <strong className="font-semibold tracking-wide">SANDBOX</strong>, no real money
              </span>
              <span className="figures">{settings.vaspDomain}</span>
            </p>
          </section>
        ) : null}
        {children}
        <LinkNavigation />
        <script src="/busy-forms.js" defer />
        <footer className="page mt-16 mb-6">
          <div className="line flex flex-wrap items-center justify-between gap-x-6 gap-y-1 pt-3">
            <p className="label">
              {settings.vaspName}, a VASP for UMA Auth. Apache-2.0. <span className="max-sm:block">{buildText()}</span>
            </p>
            <ThemeSwitch {...theme} />
          </div>
        </footer>
      </body>
    </html>
  )
}
