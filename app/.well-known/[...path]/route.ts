/** Lightning Addresses and UMA keys: the same server as below `/uma`. Browsers of any origin may read its JSON 404. */
export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from '../../uma/[...path]/route'

export const dynamic = 'force-dynamic'
