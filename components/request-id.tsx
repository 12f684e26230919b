import { application } from '@/lib/backend/application'

interface Props {
  /** The id of an earlier filling-in that is sent again. */
  readonly kept?: string | undefined
}

/** Names one filling-in of a form, so that a double click moves money once. A browser that completes it would repeat an old one. */
export function RequestId({ kept }: Props) {
  return <input type="hidden" name="request_id" value={kept ?? application().ids.uuid()} autoComplete="off" />
}
