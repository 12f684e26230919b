import { application } from '@/lib/backend/application'

interface Props {
  /** The id of an earlier submission that is sent again. */
  readonly kept?: string | undefined
}

/** Identifies one submission of a form, so that a double click moves money once. Autocomplete is off, because a browser could restore an old id. */
export function RequestId({ kept }: Props) {
  return <input type="hidden" name="request_id" value={kept ?? application().ids.uuid()} autoComplete="off" />
}
