"""A folder over HTTP on this machine, with a latency for each answer, that counts what it is asked for.

    python loopback.py FOLDER LATENCY_MS        prints its port; `GET /-/counts` gives the counts and begins anew
"""

import asyncio
import contextlib
import json
import pathlib
import re
import sys
import threading


class Server:
    def __init__(self, folder, latency=0.0):
        self.folder, self.latency = pathlib.Path(folder), latency
        self.asked, self.sent, self.now, self.most, self.bytes_in = [], 0, 0, 0, 0
        self.fail = {}  # a path to the status it is answered with
        self.change = None  # called with each path before it is looked at

    def counts(self):
        found = {"requests": len(self.asked), "bytes": self.sent, "received": self.bytes_in, "most": self.most}
        self.asked, self.sent, self.most, self.bytes_in = [], 0, 0, 0
        return found

    def answer(self, method, path, headers, body):
        """Status, headers and body."""
        if path == "/-/counts":
            return 200, {}, json.dumps(self.counts()).encode()
        self.asked.append((method, path, headers.get("range")))
        self.bytes_in += len(body)
        if self.change is not None:
            self.change(path)
        if path in self.fail:
            return self.fail[path], {}, b"as was asked for"
        file = self.folder / path.lstrip("/")
        if method == "PUT":
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(file.name + ".part")
            part.write_bytes(body)
            part.rename(file)
            return 201, {}, b""
        if not file.is_file():
            return 404, {}, b"nothing here"
        if method == "DELETE":
            file.unlink()
            return 204, {}, b""
        data = file.read_bytes()
        about = file.stat()
        headers_out = {"ETag": f'"{about.st_ino}-{about.st_mtime_ns}-{about.st_size}"', "Accept-Ranges": "bytes"}
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", headers.get("range", ""))
        if asked is None:
            return 200, headers_out, data
        first, last = asked.groups()
        start = max(0, len(data) - int(last)) if not first else int(first)
        end = len(data) if not first or not last else min(len(data), int(last) + 1)
        if start >= len(data):
            return 416, {"Content-Range": f"bytes */{len(data)}"}, b""
        headers_out["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        return 206, headers_out, data[start:end]

    async def serve(self, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while line := await reader.readline():
                method, path, _ = line.decode().split()
                headers = {}
                while (header := (await reader.readline()).decode().strip()):
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.now += 1
                self.most = max(self.most, self.now)
                if path != "/-/counts":
                    await asyncio.sleep(self.latency)
                status, more, data = self.answer(method, path, headers, body)
                self.now -= 1
                lines = [f"HTTP/1.1 {status} Answer", f"Content-Length: {len(data)}", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"]
                lines += [f"{name}: {value}" for name, value in more.items()]
                data = b"" if method == "HEAD" or status == 204 else data
                # Counted before anybody can have seen it.
                self.sent += 0 if path == "/-/counts" else len(data)
                writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
                await writer.drain()
        writer.close()

    async def start(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 20)
        return server, server.sockets[0].getsockname()[1]


@contextlib.contextmanager
def served(folder, latency=0.0):
    """The server, on a thread of its own, and its URL."""
    server, loop = Server(folder, latency), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    listening, port = asyncio.run_coroutine_threadsafe(server.start(), loop).result()
    try:
        yield server, f"http://127.0.0.1:{port}"
    finally:

        async def stop():
            listening.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def main(folder, latency):
    listening, port = await Server(folder, float(latency) / 1000).start()
    print(port, flush=True)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
