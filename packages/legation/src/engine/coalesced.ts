/**
 * Makes one run of something out of all calls that come while another run is under way: that one may have looked
 * before they asked, the next one looks after.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const call = (): Promise<void> => {
    if (running === undefined) {
      running = run().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return call();
      });
    return next;
  };
  return call;
}
