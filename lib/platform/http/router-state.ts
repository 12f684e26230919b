import { z } from 'zod'

const PARAMETER = z.enum([
  'c',
  'ci(..)(..)',
  'ci(.)',
  'ci(..)',
  'ci(...)',
  'oc',
  'd',
  'di(..)(..)',
  'di(.)',
  'di(..)',
  'di(...)',
])
const Segment = z.union([z.string(), z.tuple([z.string(), z.string(), PARAMETER, z.array(z.string()).nullable()])])

/** Next's own schema of the header (`flightRouterStateSchema`), as it stands in the pinned version. */
const RouterState: z.ZodType = z.lazy(() =>
  z.tuple([
    Segment,
    z.record(z.string(), RouterState),
    z.tuple([z.string(), z.string()]).nullable().optional(),
    z.enum(['refetch', 'inside-shared-layout', 'metadata-only']).nullable().optional(),
    z.number().nullable().optional(),
    z.string().optional(),
  ]),
)

/** Whether Next can read the state that its own client sends while it moves between pages; it answers 500 where it cannot. */
export function isRouterState(header: string): boolean {
  try {
    return RouterState.safeParse(JSON.parse(decodeURIComponent(header))).success
  } catch {
    return false
  }
}
