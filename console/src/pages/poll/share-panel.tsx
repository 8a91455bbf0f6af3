import { frameSnippet, reactSnippet, ShareDialog, scriptSnippet } from '../../parts/polls/share-dialog.tsx'
import { words } from '../../words/words.ts'
import type { PollInView } from './use-poll.ts'

interface ShareProps {
  readonly poll: PollInView
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The combined picture is shown where no answer has one of its own. */
function heldBy({ images, optionA, optionB }: PollInView) {
  if (optionA.imageUrl || optionB.imageUrl) return 'pictures'
  return images.combined ? 'combined' : 'texts'
}

/** How the poll reaches people. */
export function SharePanel({ poll, isOpen, onClose }: ShareProps) {
  const { share } = words()
  const { origin } = new URL(poll.shareUrl)
  const id = poll.shortId
  const shared = {
    url: poll.shareUrl,
    path: `/p/${id}`,
    fileName: poll.slug,
    script: scriptSnippet(origin, `<tossup-poll poll="${id}"></tossup-poll>`),
    frame: frameSnippet({ url: `${origin}/embed/poll/${id}`, title: poll.title, holds: heldBy(poll) }),
    react: reactSnippet(origin, 'Poll', `<Poll poll="${id}" />`),
    rest: `curl ${origin}/api/rest/v1/polls/${id}`,
  }
  const refusal = poll.isDraft ? share.draft : null
  const texts = { title: share.title, script: share.scriptText, rest: share.restText, refusal }
  return <ShareDialog shared={shared} texts={texts} isOpen={isOpen} onClose={onClose} />
}
