import { vasp } from '@/lib/backend/vasp'

export const dynamic = 'force-dynamic'

export const GET = (request: Request): Promise<Response> => vasp().fetch(request)
