import { MailBlock } from '../../parts/polls/mail-block.tsx'
import { OtherWays } from '../../parts/polls/other-ways.tsx'
import {
  frameSnippet,
  reactSnippet,
  ShareDialog,
  type Shared,
  scriptSnippet,
  sourcedBy,
} from '../../parts/polls/share-dialog.tsx'
import { resultWords } from '../../words/result-words.ts'
import type { PollInView } from './use-poll.ts'

interface ShareProps {
  readonly poll: PollInView
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onResults: () => void
}

/** The combined picture is shown where no answer has one of its own. */
function heldBy({ images, optionA, optionB }: PollInView) {
  if (optionA.imageUrl || optionB.imageUrl) return 'pictures'
  return images.combined ? 'combined' : 'texts'
}

/** How the poll reaches people. */
export function SharePanel({ poll, isOpen, onClose, onResults }: ShareProps) {
  const { sharing: share } = resultWords()
  const { origin } = new URL(poll.shareUrl)
  const id = poll.shortId
  const sharedAt = (source: string | null): Shared => {
    const { query, attribute } = sourcedBy(source)
    return {
      url: poll.shareUrl + query,
      script: scriptSnippet(origin, `<tossup-poll poll="${id}"${attribute}></tossup-poll>`),
      frame: frameSnippet({ url: `${origin}/embed/poll/${id}${query}`, title: poll.title, holds: heldBy(poll) }),
      react: reactSnippet(origin, 'Poll', `<Poll poll="${id}"${attribute} />`),
      rest: `curl ${origin}/api/rest/v1/polls/${id}`,
    }
  }
  const refusal = poll.isDraft ? share.draft : null
  const texts = { title: share.title, script: share.scriptText, rest: share.restText, note: share.answer, refusal }
  return (
    <ShareDialog
      path={`/p/${id}`}
      fileName={poll.slug}
      sharedAt={sharedAt}
      texts={texts}
      isOpen={isOpen}
      onClose={onClose}
    >
      {(source) => (
        <>
          <OtherWays
            stage={`/p/${id}/stage`}
            kiosk={poll.admission === 'code' ? `/p/${id}?kiosk` : undefined}
            onResults={onResults}
          />
          <MailBlock poll={id} source={source} />
        </>
      )}
    </ShareDialog>
  )
}
