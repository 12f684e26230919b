/** Every path that is no command. */
export const dynamic = 'force-dynamic'
export { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } from '@/app/umanwc/handlers'
