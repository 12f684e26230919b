/** Node-only code stays behind the import: this file is compiled for the edge runtime too. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') await (await import('./lib/start')).start()
}
