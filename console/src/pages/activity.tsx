import { Button } from '@mantine/core'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { saveStream } from '../parts/download.ts'
import { EndlessRows } from '../parts/endless-rows.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failed, Loading, NoPermission } from '../parts/states.tsx'
import { toastFailure } from '../parts/toasts.tsx'
import { useBrand } from '../session/brand.ts'
import { words } from '../words/words.ts'
import { ActivityLine } from './activity/activity-list.tsx'

export function ActivityPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { activity } = words()
  const pages = useInfiniteQuery({
    queryKey: ['brand', slug, 'activity', 'all'],
    queryFn: ({ pageParam: cursor, signal }) => tossup.listActivity({ cursor, limit: 50 }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled: mayEdit,
  })
  const download = useMutation({
    mutationFn: async () => saveStream(await tossup.exportActivity('csv'), `${slug}-activity.csv`),
    onError: toastFailure,
  })
  if (!mayEdit)
    return (
      <Page title={words().activity.title}>
        <NoPermission />
      </Page>
    )
  const items = pages.data?.pages.flatMap(({ data }) => data) ?? []
  const actions = (
    <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
      {activity.download}
    </Button>
  )
  return (
    <Page title={activity.title} text={activity.text} actions={actions}>
      {pages.isPending && <Loading />}
      {pages.error && <Failed error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.data && items.length === 0 && <Empty icon="activity" title={activity.empty} text={activity.emptyText} />}
      {items.length > 0 && (
        <EndlessRows
          label={activity.title}
          items={items}
          rowHeight={45}
          hasMore={pages.hasNextPage}
          isLoading={pages.isFetchingNextPage}
          loadMore={() => void pages.fetchNextPage()}
        >
          {(entry) => <ActivityLine entry={entry} />}
        </EndlessRows>
      )}
    </Page>
  )
}
