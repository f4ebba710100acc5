// The theme searches in a worker, which a page from disk may not start. There a frame that nobody sees runs the worker's script:
// the theme's worker looks for `IFrameWorker` and then keeps to what a frame has.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.ready = new Promise((ready) => {
        const frame = Object.assign(document.createElement("iframe"), { hidden: true, title: "search" });
        frame.onload = async () => {
          const inner = frame.contentWindow;
          const script = (source) => new Promise((loaded) => {
            const element = Object.assign(inner.document.createElement("script"), { src: source, onload: loaded });
            inner.document.head.append(element);
          });
          inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          inner.importScripts = async (...all) => {
            for (const source of all) await script(source);
          };
          await script(url);
          ready(inner);
        };
        document.body.append(frame);
      });
    }

    async postMessage(data) {
      const inner = await this.ready;
      inner.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
