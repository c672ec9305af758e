print("userctl")
