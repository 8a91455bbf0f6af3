import { load } from '../parts.ts'
import { TossupElement } from '../tossup-element.ts'

/** The loaded implementation of an element with several polls. */
export interface List {
  /** Called with the subject's name and the data that the page included, or null. */
  begin(reference: string, given: unknown): void
  end(): void
  show(): void
}

/** The exports of `lists.ts`. */
type Lists = Record<'CampaignSteps' | 'FeedList', new (element: TossupElement) => List>

abstract class TossupList extends TossupElement {
  #list: List | null = null

  protected abstract readonly list: keyof Lists

  begin(reference: string, given: unknown): void {
    const { run } = this
    load<Lists>('lists').then(
      (lists) => {
        // Created once: an element that is moved keeps its list.
        this.#list ??= new lists[this.list](this)
        if (run === this.run) this.#list.begin(reference, given)
      },
      () => run === this.run && this.fail('unreachable', 'NETWORK_ERROR'),
    )
  }

  end(): void {
    this.#list?.end()
  }

  show(): void {
    this.#list?.show()
  }
}

/** `<tossup-campaign campaign="…">`: its polls one after another, then all results. */
export class TossupCampaign extends TossupList {
  readonly named = 'campaign'
  protected readonly list = 'CampaignSteps'
}

/** `<tossup-feed brand="…">`: the public polls of a brand, newest first, with a button for more. */
export class TossupFeed extends TossupList {
  readonly named = 'brand'
  protected readonly list = 'FeedList'
}
