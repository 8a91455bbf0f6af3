/** Pixels in which each of them fits up to a width of 400. With `/embed.js` a frame has the height of its content. */
export const FRAME_HEIGHTS = { texts: 480, pictures: 760, combined: 680, campaign: 910 } as const
