async def fetch(urls):
    async with session() as s:
        async for url in urls:
            await s.get(url)
    return [await x async for x in s if x and x.ok]


async def relay():
    try:
        while True:
            await step() if ready() else None
    except* OSError:
        pass
    except* (ValueError, KeyError):
        pass
    else:
        pass
    finally:
        await close()
