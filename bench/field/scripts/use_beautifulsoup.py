"""Parse a page, search and change it."""

from bs4 import BeautifulSoup

PAGE = "<html><head><title>t</title></head><body>" + "".join(
    f'<div class="c{n % 3} row" id="d{n}"><p>text <b>bold</b> &amp; <a href="/p/{n}">link {n}</a></p><ul><li>a</li><li>b</li></ul></div>'
    for n in range(30)
)


def work():
    """One unit of work."""
    soup = BeautifulSoup(PAGE, "html.parser")
    links = [link["href"] for link in soup.find_all("a", href=True)]
    rows = soup.select("div.c1 > p a")
    for item in soup.find_all("li"):
        item.string = item.get_text().upper()
    return len(links) + len(rows) + len(str(soup))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
