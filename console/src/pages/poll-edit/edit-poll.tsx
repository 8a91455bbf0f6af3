import { useParams } from '@tanstack/react-router'
import { EditPage } from '../../parts/edit-page.tsx'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { PollForm } from './poll-form.tsx'

export function EditPollPage() {
  const { slug, tossup } = useBrand()
  const { poll: id = '' } = useParams({ strict: false })
  return (
    <EditPage
      title={formWords().poll.title}
      queryKey={['brand', slug, 'poll', id, 'edit']}
      read={(signal) => tossup.getOwnPoll(id, { signal })}
    >
      {(poll) => <PollForm poll={poll} />}
    </EditPage>
  )
}
