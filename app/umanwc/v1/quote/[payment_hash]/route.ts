/** `execute_quote`: `executeQuote` of lib/backend. */
export const dynamic = 'force-dynamic'
export { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } from '@/app/umanwc/handlers'
