import { Button } from '@mantine/core'
import type { ActivityEntry } from '../../../sdk/src/index.ts'
import { EndlessList } from '../parts/lists/endless-rows.tsx'
import { useDownload } from '../parts/lists/use-download.tsx'
import { useEndless } from '../parts/lists/use-endless.ts'
import { ForbiddenPage, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import { words } from '../words/words.ts'
import { ActivityLine } from './activity/activity-list.tsx'

const idOf = ({ id }: ActivityEntry): string => id
const lineOf = (entry: ActivityEntry) => <ActivityLine entry={entry} />

export function ActivityPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { activity } = words()
  const pages = useEndless({
    queryKey: ['brand', slug, 'activity', 'all'],
    read: ({ cursor, signal }) => tossup.listActivity({ cursor, limit: 50 }, { signal }).page(),
    enabled: mayEdit,
  })
  const download = useDownload()
  const save = () =>
    download.start({
      open: (signal) => tossup.exportActivity('csv', { signal }),
      name: `${slug}-activity.csv`,
      said: words().download.done,
    })
  if (!mayEdit) return <ForbiddenPage title={words().activity.title} />
  const actions = (
    <Button variant="default" loading={download.isRunning} onClick={save}>
      {activity.download}
    </Button>
  )
  return (
    <Page title={activity.title} text={activity.text} actions={actions}>
      {download.note}
      <EndlessList
        label={activity.title}
        pages={pages}
        idOf={idOf}
        rowHeight={45}
        empty={<Empty icon="activity" title={activity.empty} text={activity.emptyText} />}
      >
        {lineOf}
      </EndlessList>
    </Page>
  )
}
