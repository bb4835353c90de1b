__import__("_flow.job", fromlist=["main"]).main()
